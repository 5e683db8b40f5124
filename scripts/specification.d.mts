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

interface FileResult {
  readonly name: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}

export const TABLE: string;
export function readSpecification(root: string): SpecificationRow[];
export function formatSpecification(rows: readonly SpecificationRow[]): string;
export function countProven(
  rows: readonly Pick<SpecificationRow, 'id' | 'tests'>[],
  run: { readonly results: readonly FileResult[]; readonly root: string; readonly isWhole: boolean },
): { readonly proven: number; readonly total: number; readonly problems: readonly string[] };
