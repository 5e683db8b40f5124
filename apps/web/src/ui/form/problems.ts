import { ApiError, fieldError } from '../../api/index.ts';
import { explainValue } from './explain-value.ts';
import type { FieldRules } from './field-rules.ts';

export type Values = Readonly<Record<string, unknown>>;
export type Problems<V> = { [K in keyof V]?: string | undefined };
/** Explains refusals by their code at a field, such as a name that is taken. */
export type Refusals<V> = Readonly<Record<string, Problems<V>>>;

/** Says which values break the rules of the contract. */
export function explainValues<V extends Values>(rules: FieldRules, values: V): Problems<V> {
  return collect(values, (name) => {
    const rule = rules[name];
    return rule && explainValue(rule, values[name]);
  });
}

interface KnownRefusals<V> {
  readonly refusals?: Refusals<V> | undefined;
  /** Fields that get the message of the controller, by the code of the refusal. */
  readonly messages?: Readonly<Record<string, keyof V & string>> | undefined;
}

/** Says which fields the controller refused. Has no message if the error is about none of them. */
export function explainRefusal<V extends Values>(error: unknown, fields: V, known: KnownRefusals<V>): Problems<V> {
  const { refusals = {}, messages = {} } = known;
  const byCode = error instanceof ApiError ? refusals[error.code] : undefined;
  if (byCode) return byCode;
  const named = error instanceof ApiError ? messages[error.code] : undefined;
  return collect(fields, (name) => (name === named ? (error as Error).message : fieldError(error, name)));
}

/** Whether every required text is there. */
export function isComplete(rules: FieldRules, values: Values): boolean {
  return Object.entries(values).every(([name, value]) => !rules[name]?.isRequired || value !== '');
}

export function hasProblem(problems: Values): boolean {
  return Object.values(problems).some((message) => message !== undefined);
}

function collect<V extends Values>(fields: V, explain: (name: string) => string | undefined): Problems<V> {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, explain(name)])) as Problems<V>;
}
