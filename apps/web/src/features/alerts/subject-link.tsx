import type { AlertView } from '@flotilla/contract';
import { ClientLink, DocumentLink, ServiceLink } from '../../app/links.tsx';

/** Links to the object of an alert, if it has a page. */
export function SubjectLink({ subject }: { subject: AlertView['subject'] }) {
  const { kind, id, name, collection, version } = subject;
  if (kind === 'service' && id !== null) return <ServiceLink id={id} name={name} />;
  if (kind === 'client' && id !== null) return <ClientLink id={id} name={name} />;
  if (kind === 'document' && collection !== undefined && version !== undefined)
    return <DocumentLink collection={collection} name={name} version={version} />;
  return <bdi title={name}>{name}</bdi>;
}
