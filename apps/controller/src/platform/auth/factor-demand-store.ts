import { OTP_SETTINGS } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';

/** Matches if the project's settings require a second factor, or have a value that this version cannot read. */
const ASKS = sql`settings.key = ${sql.lit(OTP_SETTINGS.key)} and coalesce(settings.value->'otp_enforced', 'false') <> 'false'`;

/**
 * For rows of `sessions`: the user has passed a second factor that the account still has, or that a provider required.
 */
export const HAS_FACTOR = sql<boolean>`('provider' = any(sessions.factors)
  or sessions.factors && array['otp', 'backup_code'] and exists (
    select from otp_enrolments where otp_enrolments.user_id = sessions.user_id and confirmed_at is not null)
  or 'passkey' = any(sessions.factors) and exists (select from passkeys where passkeys.user_id = sessions.user_id))`;

/**
 * For rows of `sessions` and `users`: ids of the projects that the session may not use without a second factor. An
 * owner of the installation has a role in every project.
 */
export const CLOSED_PROJECTS = sql<string[] | null>`case when not ${HAS_FACTOR} then (
  select array_agg(settings.project_id) from settings where ${ASKS} and settings.project_id is not null
    and (users.is_owner or settings.project_id in (
      select project_id from memberships where memberships.user_id = users.id))) end`;

/** The same check for one project. */
export function isOpenTo(project: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${HAS_FACTOR} or not exists (
    select from settings where ${ASKS} and settings.project_id = ${project}))`;
}
