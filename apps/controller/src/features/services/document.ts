import { fail, serviceWriteSchema } from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';
import { toViolations } from '../../http/validate.ts';
import { findRepeated, type ServiceDocument } from './model.ts';

interface Scope {
  readonly project: { readonly id: string };
}

/** Checks a document that was merged or taken from history by the same schema as a PUT. */
export function parseDocument(ctx: Scope, value: unknown): ServiceDocument {
  const parsed = serviceWriteSchema.safeParse(value);
  if (!parsed.success) {
    const details = parsed.error.issues.flatMap((issue) => toViolations(issue));
    const first = details[0];
    throw fail('request.invalid', { reason: `${first?.path}: ${first?.message}` }, { details });
  }
  return ownDocument(ctx, parsed.data);
}

/** A `project` in the body that is not the one of the request would be a move: refused. */
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

/** Names that stand twice in a list. */
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
