import { fail, serviceWriteSchema } from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';
import { describeIssue } from '../../../platform/http/describe-issue.ts';
import { toViolations } from '../../../platform/http/validate.ts';
import { findRepeated, type ServiceDocument } from './model.ts';

interface Scope {
  readonly project: { readonly id: string };
}

/** Checks a merged or restored document with the schema of a PUT. */
export function parseDocument(ctx: Scope, value: unknown): ServiceDocument {
  const parsed = serviceWriteSchema.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const details = parsed.error.issues.flatMap((issue) => toViolations(issue));
    const first = details[0];
    throw fail('request.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
  }
  return ownDocument(ctx, parsed.data);
}

/** Refuses another `project` in the body, because that would be a move. */
export function ownDocument(
  ctx: Scope,
  document: Omit<ServiceDocument, 'project'> & { readonly project?: string | undefined },
): ServiceDocument {
  if (document.project !== undefined && document.project.toLowerCase() !== ctx.project.id) {
    const message = 'is not the project of the request; a service stays in its project';
    throw fail(
      'request.invalid',
      { reason: `project: ${message}` },
      { details: [{ path: 'project', rule: 'fixed', message }] },
    );
  }
  return { ...document, project: ctx.project.id };
}

/** Finds names that occur twice in a list. */
export function checkLists(document: ServiceDocument): Violation[] {
  const lists = {
    listeners: document.listeners,
    policies: document.policies,
    clients: document.clients.map(({ client_id }) => client_id),
  };
  return Object.entries(lists).flatMap(([path, names]) => {
    const repeated = findRepeated(names);
    return repeated === undefined ? [] : [{ path, rule: 'unique', message: `names ${repeated} twice` }];
  });
}
