import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { routes } from '../api/index.ts';
import { useCan, useProject } from './project.tsx';

interface LinkToProps {
  readonly id: string;
  readonly name?: string;
  readonly tab?: string;
  /** Instead of the name. */
  readonly children?: ReactNode;
}

/** A link for those who may open the service, else the words alone. */
export function ServiceLink({ id, name, tab, children = <bdi>{name}</bdi> }: LinkToProps) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.service.detail)) return children;
  return (
    <Link
      to="/p/$project/services/$serviceId"
      params={{ project: project.name, serviceId: id }}
      search={tab === undefined ? {} : { tab }}
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

export function PolicyLink({ name }: { name: string }) {
  const project = useProject();
  return (
    <Link to="/p/$project/policies/$name" params={{ project: project.name, name }} className="mono" title={name}>
      <bdi>{name}</bdi>
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
