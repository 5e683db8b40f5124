import type { ApiError } from '../../../api/index.ts';

/** An error with its position in the text. */
export interface PlacedError {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  /** 1-based; undefined if the API only names a field. */
  readonly line?: number;
  readonly column?: number;
  /** Warnings do not block saving. */
  readonly severity?: 'error' | 'warning';
}

interface LoadProblem {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Extracts the filter's errors about the policy; undefined if the refusal has another reason. */
export function toPolicyErrors(
  error: Pick<ApiError, 'code' | 'message' | 'details' | 'body'>,
): readonly PlacedError[] | undefined {
  if (error.code !== 'policy.invalid' && error.code !== 'policy.clash') return undefined;
  const problems = problemsOf(error.body);
  if (problems)
    return problems.map(({ field, rule, message, line, column }) => ({ path: field, rule, message, line, column }));
  return error.details.length > 0
    ? error.details.map(({ path, rule, message }) => ({ path, rule, message }))
    : [{ path: '', rule: error.code, message: error.message }];
}

function problemsOf(body: object): readonly LoadProblem[] | undefined {
  const { problems } = body as { problems?: unknown };
  return Array.isArray(problems) ? (problems as LoadProblem[]) : undefined;
}

/** Converts warnings about a valid policy that probably contains mistakes. */
export function toPolicyWarnings(warnings: readonly LoadProblem[] | undefined): readonly PlacedError[] {
  return (warnings ?? []).map(({ field, rule, message, line, column }) => ({
    path: field,
    rule,
    message,
    line,
    column,
    severity: 'warning',
  }));
}
