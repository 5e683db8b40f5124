import { Link, useParams } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, Page } from '../../ui/index.ts';
import { EMPTY_DRAFT, toDraft } from './editing/draft.ts';
import { ServiceEditor } from './editing/service-editor.tsx';
import type { KnownVersion } from './use-proxy-versions.ts';

export function NewServicePage() {
  const project = useProject();
  const can = useCan();
  const versions = useApi(routes.version.list, { query: { project: project.id } });
  return (
    <Page title="New service" trail={[<ServicesLink key="services" />]}>
      {can(routes.service.create) ? (
        <Loaded query={versions} what="The proxy versions" skeleton={10}>
          {({ body }) => (
            <ServiceEditor opened={undefined} first={{ ...EMPTY_DRAFT, version: chooseVersion(body.items) }} />
          )}
        </Loaded>
      ) : (
        <Empty title="Services are written by admins and owners">Ask one of them to create it.</Empty>
      )}
    </Page>
  );
}

export function EditServicePage() {
  const { serviceId = '' } = useParams({ strict: false });
  const project = useProject();
  const query = useApi(
    routes.service.read,
    { params: { service_id: serviceId }, query: { project: project.id } },
    { topics: ['service'] },
  );
  const name = query.data?.body.name;
  return (
    <Page
      title={name === undefined ? 'Edit service' : `Edit ${name}`}
      trail={[
        <ServicesLink key="services" />,
        name !== undefined && (
          <Link key="service" to="/p/$project/services/$serviceId" params={{ project: project.name, serviceId }}>
            <bdi>{name}</bdi>
          </Link>
        ),
      ].filter(Boolean)}
    >
      <Loaded
        query={query}
        what="The service"
        skeleton={10}
        missing={
          <Empty
            title="There is no such service in this project"
            action={
              <Link to="/p/$project/services" params={{ project: project.name }}>
                Show all services
              </Link>
            }
          >
            It may have been deleted. The audit log says by whom.
          </Empty>
        }
      >
        {({ body, etag }) => <ServiceEditor key={body.id} opened={{ service: body, etag }} first={toDraft(body)} />}
      </Loaded>
    </Page>
  );
}

function ServicesLink() {
  const project = useProject();
  return (
    <Link to="/p/$project/services" params={{ project: project.name }}>
      Services
    </Link>
  );
}

/** The one that most of the project's documents are of; the newest for a project that is empty. */
function chooseVersion(versions: readonly KnownVersion[]): string {
  const most = versions.reduce<KnownVersion | undefined>(
    (best, one) => (one.documents > (best?.documents ?? 0) ? one : best),
    undefined,
  );
  return most?.version ?? versions[0]?.version ?? '';
}
