import { Link } from '@tanstack/react-router';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import type { Hindrance } from './deletion.ts';

interface UserLinkProps {
  readonly user: Hindrance;
  /** Version of the used document: references stay within a version. */
  readonly version: string;
  readonly onFollow: () => void;
}

/** Links to a service or document that uses another document. */
export function UserLink({ user: { id, collection, name }, version, onFollow }: UserLinkProps) {
  const project = useProject().name;
  if (collection === 'services') return <ServiceLink id={id} name={name} />;
  return (
    <Link
      to="/p/$project/resources/$collection/$version/$name"
      params={{ project, collection, version, name }}
      className="mono"
      onClick={onFollow}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
