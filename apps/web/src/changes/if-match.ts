interface ReadState {
  readonly etag: string | undefined;
  readonly revision: number;
}

/**
 * Returns If-Match of a change: the ETag that the record was read with. A record that is deleted and recreated repeats revisions, but not
 * ETags. The controller also accepts a revision, for answers without an ETag.
 */
export function ifMatchOf({ etag, revision }: ReadState): string {
  return etag ?? `"${revision}"`;
}
