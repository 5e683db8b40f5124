/** Findings in one link: more make an address that servers refuse. */
export const DRAFT_FINDINGS_MAX = 200;

/** The address of the page that drafts a policy for findings. */
export function toDraftPolicy(project: string, findings: readonly string[]): string {
  const search = new URLSearchParams(findings.map((id) => ['finding_id', id]));
  return `/p/${encodeURIComponent(project)}/traffic/drafts/new?${search}`;
}
