/** One error in a policy bundle, with its exact place. Never contains a secret: values of keys are not quoted. */
export interface LoadProblem {
  /** Path of the file inside the bundle. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
  /** JSON path of the field: `spec.domains[0].hosts[1]`. Empty for the whole file. */
  readonly field: string;
  /** Stable identifier of the check that failed, e.g. `rate_limit.rate`. */
  readonly rule: string;
  readonly message: string;
}

export type FieldPath = readonly (string | number)[];

/** The result of a check, with a path relative to its block. `at: 'key'` points to the field's name, not its value. */
export interface Complaint {
  readonly path: FieldPath;
  readonly rule: string;
  readonly message: string;
  readonly at?: 'key' | 'value';
}

export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (/^[\w-]+$/.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text;
}

/** `file:line:field: message`, the format of `flotilla shield validate`. */
export function formatProblem(problem: LoadProblem): string {
  return `${problem.file}:${problem.line}:${problem.field}: ${problem.message} [${problem.rule}]`;
}
