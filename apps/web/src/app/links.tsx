import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../api/index.ts';
import { texts } from '../ui/texts.tsx';
import { useCan, useProject } from './project.tsx';

const text = texts.links;

interface LinkToProps {
  readonly id: string;
  readonly name?: string;
  readonly tab?: string;
  /** ID of a configuration error to open. */
  readonly error?: string;
  /** Shown instead of the name. */
  readonly children?: ReactNode;
}

/** A link for users who may open the service, plain text otherwise. */
export function ServiceLink({ id, name, tab, error, children = <bdi>{name}</bdi> }: LinkToProps) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.fleet.service)) return children;
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

/** Links to the form of a service, at one of its sections. */
export function ServiceEditLink({ id, anchor, children }: { id: string; anchor?: string; children: ReactNode }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.service.patch)) return children;
  return (
    <Link
      to="/p/$project/services/$serviceId/edit"
      params={{ project: project.name, serviceId: id }}
      {...(anchor !== undefined && { hash: anchor })}
    >
      {children}
    </Link>
  );
}

/** A link for users who may open the client, plain text otherwise. */
export function ClientLink({ id, name }: { id: string; name: string }) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.fleet.client)) return <bdi>{name}</bdi>;
  return (
    <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId: id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

interface PolicyLinkProps {
  readonly name: string;
  /** Identifies the rule whose line opens in the text. An empty `route` means the domain itself. */
  readonly rule?: { readonly host: string; readonly route: string; readonly engine: string };
  /** Shown instead of the name. */
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

/** Links to all audit entries about a name or ID; plain text for users who may not read them. */
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
  /** Shown instead of the name. */
  readonly children?: ReactNode;
}

/** Policies have no proxy version; every other document has one. */
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
