import { COMMAND_BODIES, failFleet } from '@flotilla/contract';
import type * as z from 'zod';
import { describeIssue } from '../../../platform/http/describe-issue.ts';
import { toViolations } from '../../../platform/http/validate.ts';
import type { CommandRule } from './table.ts';

/** A checked `command` member: the target service and the payload for the client. */
export interface ParsedBody {
  readonly project: string | undefined;
  readonly serviceName: string | undefined;
  readonly serviceId: string | undefined;
  /** The proxy version that the service must have. */
  readonly serviceVersion: string | undefined;
  /** The version that the command sets or removes on the host. */
  readonly hostVersion: string | undefined;
  readonly payload: Record<string, unknown>;
}

/** Members that address the command. All others are for the client. */
interface Address {
  readonly project?: string | undefined;
  readonly name?: string | undefined;
  readonly service_id?: string | undefined;
  readonly version?: string | undefined;
}

export function parseBody(rule: CommandRule, body: Record<string, unknown>): ParsedBody {
  const { project, name, service_id, version, ...rest }: Address & Record<string, unknown> = check(
    COMMAND_BODIES[rule.name],
    body,
  );
  const isOfHost = rule.operation === 'SET_VERSION' || rule.operation === 'REMOVE_VERSION';
  const upgraded = rule.type === 'UPGRADE_LISTENER' ? String(rest.to_version) : undefined;
  return {
    project: project?.toLowerCase(),
    serviceName: name,
    serviceId: service_id?.toLowerCase(),
    serviceVersion: isOfHost ? undefined : version,
    hostVersion: isOfHost ? version : upgraded,
    payload: {
      ...(isOfHost && { version }),
      ...(rule.operation === 'SET_VERSION' && { force_download: false }),
      ...rest,
    },
  };
}

function check<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body, { error: describeIssue });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap((issue) => toViolations(issue, 'command'));
  const first = details[0];
  throw failFleet('command.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
}
