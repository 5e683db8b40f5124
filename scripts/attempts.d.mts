interface FileResult {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
}
export function readResults(report: string): FileResult[];
export function listSecondAttempts(results: readonly FileResult[], root: string): string[];
export function mergeAttempts(first: readonly FileResult[], second: readonly FileResult[]): FileResult[];
export function countTests(results: readonly FileResult[]): { readonly passed: number; readonly failed: number };
export function listFailures(results: readonly FileResult[], root: string): string[];
