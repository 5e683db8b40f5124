import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../api/index.ts';
import { texts } from '../texts/index.ts';
import { useCan, useProject } from './project.tsx';

const text = texts.ui.links;

interface LinkToProps {
  readonly id: string;
  readonly name?: string;
  readonly tab?: string;
  /** Id of a configuration error, to be opened. */
  readonly error?: string;
  /** Instead of the name. */
  readonly children?: ReactNode;
}

/** A link for those who may open the service, else the words alone. */
export function ServiceLink({ id, name, tab, error, children = <bdi>{name}</bdi> }: LinkToProps) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.service.detail)) return children;
  return (
    <Link
      to="/p/$project/services/$serviceId"
      params={{ project: project.name, serviceId: id }}
      search={{ ...(tab !== undefined && { tab }), ...(error !== undefined && { error }) }}
    >
      {children}
    </Link>
  );
}

/** A link for those who may open the client, else its name alone. */
export function ClientLink({ id, name }: { id: string; name: string }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.client.list)) return <bdi>{name}</bdi>;
  return (
    <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId: id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

interface PolicyLinkProps {
  readonly name: string;
  /** Whose line in the text is to be opened. An empty `route` is the domain's own. */
  readonly rule?: { readonly host: string; readonly route: string; readonly engine: string };
  /** Instead of the name. */
  readonly children?: ReactNode;
}

export function PolicyLink({ name, rule, children = <bdi>{name}</bdi> }: PolicyLinkProps) {
  const project = useProject();
  return (
    <Link
      to="/p/$project/policies/$name"
      params={{ project: project.name, name }}
      search={{ ...rule }}
      className="mono"
      title={name}
    >
      {children}
    </Link>
  );
}

/** Everything that was ever done with a thing, by its name or id; for others than those who may read it, the words alone. */
export function AuditLink({ about }: { about: string }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.audit.list)) return text.auditLog;
  return (
    <Link to="/p/$project/audit" params={{ project: project.name }} search={{ q: about, range: 'all' }}>
      {text.auditLog}
    </Link>
  );
}

export interface DocumentKey {
  readonly collection: string;
  readonly name: string;
  readonly version: string;
}

interface DocumentLinkProps extends DocumentKey {
  readonly tab?: string;
  /** Instead of the name. */
  readonly children?: ReactNode;
}

/** Policies have no proxy version; every other document is of one. */
export function DocumentLink({ collection, name, version, tab, children }: DocumentLinkProps) {
  const project = useProject();
  if (collection === 'policies') return <PolicyLink name={name} />;
  return (
    <Link
      to="/p/$project/resources/$collection/$version/$name"
      params={{ project: project.name, collection, version, name }}
      search={tab === undefined ? {} : { tab }}
      {...(children === undefined && { className: 'mono' })}
    >
      {children ?? <bdi>{name}</bdi>}
    </Link>
  );
}
