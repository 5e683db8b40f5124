import { Link } from '@tanstack/react-router';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A link for those who may open it, else the name alone. */
export function ServiceName({ id, name }: Named) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.service.detail)) return <bdi>{name}</bdi>;
  return (
    <Link to="/p/$project/services/$serviceId" params={{ project: project.name, serviceId: id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

export function ClientName({ id, name }: Named) {
  const project = useProject();
  const can = useCan();
  if (!can(routes.client.list)) return <bdi>{name}</bdi>;
  return (
    <Link to="/p/$project/clients/$clientId" params={{ project: project.name, clientId: id }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

export function PolicyName({ name, search = {} }: { name: string; search?: Readonly<Record<string, string>> }) {
  const project = useProject();
  return (
    <Link
      to="/p/$project/policies/$name"
      params={{ project: project.name, name }}
      search={search}
      className="mono"
      title={name}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
