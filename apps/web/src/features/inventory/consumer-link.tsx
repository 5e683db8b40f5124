import { Link } from '@tanstack/react-router';
import { useProject } from '../../app/project.tsx';
import { texts } from './texts.tsx';

interface ConsumerLinkProps {
  /** Keyed hash; empty for requests without an identity. */
  readonly hash: string;
  /** The time range. */
  readonly search?: Readonly<Record<string, string>>;
}

/** Links to a consumer. Its name is a keyed hash: nobody stores who it is. */
export function ConsumerLink({ hash, search = {} }: ConsumerLinkProps) {
  const project = useProject();
  if (hash === '') return texts.anonymousConsumer;
  return (
    <Link
      to="/p/$project/traffic/consumers/$hash"
      params={{ project: project.name, hash }}
      search={search}
      className="mono"
    >
      {hash}
    </Link>
  );
}
