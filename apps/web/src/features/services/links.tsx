import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../app/project.tsx';

export function ServiceLink({ id, tab, children }: { id: string; tab?: string; children: ReactNode }) {
  const project = useProject();
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

export function ClientLink({ id, name }: { id: string; name: string }) {
  const project = useProject();
  return (
    <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId: id }}>
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
  if (collection === 'policies')
    return (
      <Link to="/p/$project/policies/$name" params={{ project: project.name, name }} className="mono">
        <bdi>{name}</bdi>
      </Link>
    );
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
