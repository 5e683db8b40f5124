import type { ApiCoverageItem } from '@flotilla/contract';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Loaded, Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { DocumentLink } from './document-columns.tsx';
import { KindStates } from './kind-states.tsx';
import { texts } from './texts.ts';

const text = texts.operation;

/** Says which API documents describe an endpoint. */
export function OperationDocuments({ operationId }: { operationId: string }) {
  const project = useProject();
  const can = useCan();
  const query = useApi(routes.apiDocumentReport.ofOperation, {
    params: { operation_id: operationId },
    query: { project: project.id },
  });
  if (!can(routes.apiDocumentReport.ofOperation)) return null;
  return (
    <Section title={text.title}>
      <Loaded query={query} what={text.what}>
        {({ body }) =>
          body.item === null ? <p className={layout.note}>{text.excluded}</p> : <Item item={body.item} />
        }
      </Loaded>
    </Section>
  );
}

function Item({ item }: { item: ApiCoverageItem }) {
  return (
    <>
      <KindStates kinds={item.kinds} />
      {item.documents.length === 0 && <p className={layout.note}>{texts.meanings.unscoped}</p>}
      <ul className={layout.names}>
        {item.documents.map(({ id, name, path }) => (
          <li key={id}>
            {id === null ? <bdi>{name}</bdi> : <DocumentLink id={id} name={name} />} <bdi className="mono">{path}</bdi>
          </li>
        ))}
      </ul>
    </>
  );
}
