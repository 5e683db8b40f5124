import { Link, useParams } from '@tanstack/react-router';
import { routes, useApi } from '../../api/index.ts';
import { AuditLink, ServiceLink } from '../../app/links.tsx';
import { useCan, useProject } from '../../app/project.tsx';
import { Empty, Loaded, Page } from '../../ui/index.ts';
import { EMPTY_DRAFT, toDraft } from './editing/draft.ts';
import { ServiceEditor } from './editing/service-editor.tsx';
import { texts } from './texts.tsx';
import type { KnownVersion } from './use-proxy-versions.ts';

const text = texts.serviceEditorPage;

export function NewServicePage() {
  const project = useProject();
  const can = useCan();
  const versions = useApi(routes.version.list, { query: { project: project.id } });
  return (
    <Page title={text.new.title} trail={[<ServicesLink key="services" />]}>
      {can(routes.service.create) ? (
        <Loaded query={versions} what={text.new.what} skeleton={10}>
          {({ body }) => (
            <ServiceEditor opened={undefined} first={{ ...EMPTY_DRAFT, version: chooseVersion(body.items) }} />
          )}
        </Loaded>
      ) : (
        <Empty title={text.new.notAllowed}>{text.new.whomToAsk}</Empty>
      )}
    </Page>
  );
}

export function EditServicePage() {
  const { serviceId = '' } = useParams({ strict: false });
  if (useCan()(routes.service.replace)) return <EditPage serviceId={serviceId} />;
  return (
    <Page title={text.edit.title} trail={[<ServicesLink key="services" />]}>
      <Empty title={text.new.notAllowed} action={<ServiceLink id={serviceId}>{text.edit.showService}</ServiceLink>}>
        {text.edit.whomToAsk}
      </Empty>
    </Page>
  );
}

function EditPage({ serviceId }: { serviceId: string }) {
  const project = useProject();
  const query = useApi(
    routes.service.read,
    { params: { service_id: serviceId }, query: { project: project.id } },
    { topics: ['service'] },
  );
  const name = query.data?.body.name;
  return (
    <Page
      title={name === undefined ? text.edit.title : text.edit.titleOf(name)}
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
        what={texts.servicePage.page.what}
        skeleton={10}
        missing={
          <Empty
            title={texts.servicePage.page.missing.title}
            action={
              <Link to="/p/$project/services" params={{ project: project.name }}>
                {texts.servicePage.page.missing.showAll}
              </Link>
            }
          >
            {texts.servicePage.page.whyMissing(<AuditLink about={serviceId} />)}
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
      {text.servicesLink.services}
    </Link>
  );
}

/** Returns the version of most of the project's documents, or the newest for an empty project. */
function chooseVersion(versions: readonly KnownVersion[]): string {
  const most = versions.reduce<KnownVersion | undefined>(
    (best, one) => (one.documents > (best?.documents ?? 0) ? one : best),
    undefined,
  );
  return most?.version ?? versions[0]?.version ?? '';
}
