/** The address of the page that drafts a policy for a flag of an operation. */
export function toDraftPolicy(
  project: string,
  { operation, flag }: { readonly operation: string; readonly flag: string },
): string {
  const search = new URLSearchParams({ operation_id: operation, flag });
  return `/p/${encodeURIComponent(project)}/traffic/drafts/new?${search}`;
}
