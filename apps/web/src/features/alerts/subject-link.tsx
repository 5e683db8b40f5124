import type { AlertView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { ClientLink, DocumentLink, ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';

/** Links to the object of an alert, if it has a page. */
export function SubjectLink({ subject }: { subject: AlertView['subject'] }) {
  const { kind, id, name, collection, version } = subject;
  if (kind === 'service' && id !== null) return <ServiceLink id={id} name={name} />;
  if (kind === 'client' && id !== null) return <ClientLink id={id} name={name} />;
  if (kind === 'document' && collection !== undefined && version !== undefined)
    return <DocumentLink collection={collection} name={name} version={version} />;
  if (kind === 'finding' && id !== null) return <FindingLink id={id} name={name} />;
  return <bdi title={name}>{name}</bdi>;
}

function FindingLink({ id, name }: { readonly id: string; readonly name: string }) {
  const project = useProject();
  return (
    <Link to="/p/$project/traffic/findings/$findingId" params={{ project: project.name, findingId: id }}>
      <bdi title={name}>{name}</bdi>
    </Link>
  );
}
