import { failFleet, idSchema, nameSchema, proxyVersionSchema } from '@flotilla/contract';
import * as z from 'zod';
import { toViolations } from '../../http/validate.ts';
import type { CommandRule } from './table.ts';

const projectOf = { project: idSchema.optional() };

const serviceOf = {
  ...projectOf,
  name: nameSchema.optional(),
  service_id: idSchema.optional(),
  /** Of the service, as a check: another one is no match. */
  version: proxyVersionSchema.optional(),
};

const LOG_LINES_MAX = 5000;

const statsBody = z.strictObject({ ...projectOf, count: z.number().int().min(1).max(1000).optional() });
const serviceBody = z.strictObject(serviceOf);
const logsBody = z.strictObject({ ...serviceOf, count: z.number().int().min(1).max(LOG_LINES_MAX).optional() });
const getVersionsBody = z.strictObject({ ...serviceOf, operation: z.literal('GET_VERSIONS') });
const setVersionBody = z.strictObject({
  ...projectOf,
  name: nameSchema.optional(),
  service_id: idSchema.optional(),
  operation: z.literal('SET_VERSION'),
  version: proxyVersionSchema,
  force_download: z.boolean().optional(),
});

/** A checked `command` member: which service it is for, and what the client is told. */
export interface ParsedBody {
  readonly project: string | undefined;
  readonly serviceName: string | undefined;
  readonly serviceId: string | undefined;
  /** The service must be of this version. */
  readonly serviceVersion: string | undefined;
  /** DATAPLANE_VERSION SET_VERSION */
  readonly setVersion: string | undefined;
  readonly payload: Record<string, unknown>;
}

export function parseBody(rule: CommandRule, body: Record<string, unknown>): ParsedBody {
  if (rule.operation === 'SET_VERSION') {
    const value = check(setVersionBody, body);
    const { operation, version, force_download = false } = value;
    return { ...locate(value), setVersion: version, payload: { operation, version, force_download } };
  }
  if (rule.operation === 'GET_VERSIONS') {
    const value = check(getVersionsBody, body);
    return { ...locate(value), serviceVersion: value.version, payload: { operation: value.operation } };
  }
  if (rule.service === 'none') {
    const { project, count } = check(statsBody, body);
    return { ...locate({ project }), payload: count === undefined ? {} : { count } };
  }
  const value = rule.subType === 'SUB_LOGS' ? check(logsBody, body) : check(serviceBody, body);
  const count = 'count' in value ? value.count : undefined;
  return { ...locate(value), serviceVersion: value.version, payload: count === undefined ? {} : { count } };
}

function locate(value: { project?: string | undefined; name?: string | undefined; service_id?: string | undefined }) {
  return {
    project: value.project?.toLowerCase(),
    serviceName: value.name,
    serviceId: value.service_id?.toLowerCase(),
    serviceVersion: undefined,
    setVersion: undefined,
  };
}

function check<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap((issue) => toViolations(issue, 'command'));
  const first = details[0];
  throw failFleet('command.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
}
