import type { JobDetailView } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { auditActions } from '../../changes/action-texts.ts';
import { formatExact, shortenId } from '../../ui/index.ts';

const { noun } = auditActions;

type About = NonNullable<JobDetailView['resource']>;

/** Shows the target of a job, with a link if it has a page. */
export function JobAbout({ resource, isInstallation }: { resource: About; isInstallation: boolean }) {
  const can = useCan();
  if (resource.type === 'backup' && can(routes.backup.get))
    return <BackupLink id={resource.name} isInstallation={isInstallation} />;
  return (
    <span title={resource.name}>
      {noun(resource.type)} <bdi>{shortenId(resource.name)}</bdi>
    </span>
  );
}

/** Links to a backup. A backup has no name but a note or a time; a deleted one has neither. */
function BackupLink({ id, isInstallation }: { id: string; isInstallation: boolean }) {
  const project = useProject();
  const query = isInstallation ? {} : { project: project.id };
  const backup = useApi(routes.backup.get, { params: { backup_id: id }, query }, { topics: ['job'] }).data?.body;
  const words = (
    <>
      {noun('backup')} <bdi>{backup ? backup.description || formatExact(backup.created_at) : shortenId(id)}</bdi>
    </>
  );
  if (!backup) return <span title={id}>{words}</span>;
  const search = { backup: id };
  return isInstallation ? (
    <Link to="/settings/$section" params={{ section: 'backups' }} search={search} title={id}>
      {words}
    </Link>
  ) : (
    <Link
      to="/p/$project/settings/$section"
      params={{ project: project.name, section: 'backups' }}
      search={search}
      title={id}
    >
      {words}
    </Link>
  );
}
