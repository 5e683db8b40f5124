interface ReadState {
  readonly etag: string | undefined;
  readonly revision: number;
}

/**
 * If-Match of a change: the ETag that the record was read with. One that is deleted and made anew has the revisions again, not
 * the ETags. The controller takes a revision as well, where the answer came without its ETag.
 */
export function ifMatchOf({ etag, revision }: ReadState): string {
  return etag ?? `"${revision}"`;
}
