export interface SpecificationRow {
  /** `route: POST /auth/login` */
  readonly id: string;
  /** Heading of the specification. */
  readonly section: string;
  /** What must hold, in short. */
  readonly says: string;
  /** Routes without which the row cannot hold: `GET /api/v3/search`, or a path alone for any route at it or below it. */
  readonly routes?: readonly string[];
  /** The tests that prove it; none where `missing` says what is not there yet. */
  readonly tests?: readonly { readonly file: string; readonly title: string }[];
  readonly missing?: string;
}

/** A finding of the review of commit 3a872b94. */
export interface FindingRow {
  /** `attack 3`, `fault H1`, `screen bug 1`: tests have it in their titles. */
  readonly id: string;
  /** The part of the review. */
  readonly section: string;
  /** What was wrong, in short. */
  readonly says: string;
  readonly tests?: readonly { readonly file: string; readonly title: string }[];
  /** The section of a decision that answers the finding, or a part of it: `adr/0022-answers-to-the-review.md#heading`. */
  readonly answer?: string;
}

interface FileResult {
  readonly name: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

export const TABLE: string;
export const FINDINGS: string;
export function readSpecification(root: string): SpecificationRow[];
export function readFindings(root: string): FindingRow[];
export function formatRows(rows: readonly (SpecificationRow | FindingRow)[]): string;
export function countProven(
  rows: readonly Pick<SpecificationRow, 'id' | 'tests'>[],
  run: { readonly results: readonly FileResult[]; readonly root: string; readonly isWhole: boolean },
): { readonly proven: number; readonly total: number; readonly problems: readonly string[] };
