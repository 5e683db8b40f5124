import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Whether the selector of a rule selects an object by its name. `*` stands for any text. */
export function matchesNames(selector: RawBuilder<unknown>, name: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${selector} -> 'names' = '[]' or exists (
    select from jsonb_array_elements_text(${selector} -> 'names') pattern
    where ${name} like replace(replace(replace(replace(pattern, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%')))`;
}
