/** The headers of a request that continues a download. */
export interface RangeHeaders {
  readonly range: string | undefined;
  /** The range counts only if the file still has this ETag. */
  readonly ifRange: string | undefined;
}

/**
 * Reads where a download continues. Other ranges than `bytes=N-` are ignored, so the whole file is sent (RFC 9110, section 14.2). The
 * ETag of a bundle is its digest.
 */
export function readRange({ range, ifRange }: RangeHeaders): { offset: number; ifSha256: string | undefined } {
  const from = Number(/^bytes=(\d{1,15})-$/.exec(range?.trim() ?? '')?.[1] ?? 0);
  if (from === 0 || ifRange === undefined) return { offset: from, ifSha256: undefined };
  const digest = /^"([0-9a-f]{64})"$/.exec(ifRange.trim())?.[1];
  // A date, or a weak ETag, does not prove that the file is the same.
  return digest === undefined ? { offset: 0, ifSha256: undefined } : { offset: from, ifSha256: digest };
}
