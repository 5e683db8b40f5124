import type { ApiError } from '../../../api/index.ts';

/** An error at its place in the text, as the editor shows it. */
export interface PlacedError {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  /** 1-based; undefined where the API names a field alone. */
  readonly line?: number;
  readonly column?: number;
  /** A warning keeps nobody from saving. */
  readonly severity?: 'error' | 'warning';
}

interface LoadProblem {
  readonly field: string;
  readonly rule: string;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** What the filter would say against the policy; undefined when the refusal is about something else. */
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

/** What looks like a mistake although the filter takes it. */
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
