import type { ApiDocument } from '@flotilla/contract';
import { routes } from '../../api/index.ts';
import { useCan } from '../../app/project.tsx';
import { ApiTable, UrlDrawer, UrlTabs } from '../../ui/index.ts';
import { CreateButton } from '../../ui/screen/create-button.tsx';
import { TrafficRoom } from '../inventory/index.ts';
import { DifferencesTable } from './differences-table.tsx';
import { DOCUMENT_COLUMNS } from './document-columns.tsx';
import { ImportForm } from './import-form.tsx';
import { texts } from './texts.ts';

const CREATE = { route: routes.apiDocument.import, opens: { create: 'document' } } as const;

/** `?create=document` opens the import. */
export function ApiDocumentsPage() {
  const can = useCan();
  return (
    <TrafficRoom
      title={texts.title}
      lead={texts.lead}
      actions={<CreateButton {...CREATE} word={texts.import.action} icon />}
    >
      <UrlTabs
        label={texts.tabs.label}
        tabs={[
          { id: 'documents', label: texts.tabs.documents, content: () => <Documents /> },
          { id: 'differences', label: texts.tabs.differences, content: () => <DifferencesTable /> },
        ]}
      />
      <UrlDrawer
        name="create"
        value="document"
        title={texts.import.title}
        size="lg"
        isAllowed={can(routes.apiDocument.import)}
      >
        {() => <ImportForm />}
      </UrlDrawer>
    </TrafficRoom>
  );
}

function Documents() {
  return (
    <ApiTable<ApiDocument>
      words={texts.list}
      route={routes.apiDocument.list}
      columns={DOCUMENT_COLUMNS}
      emptyAction={<CreateButton {...CREATE} word={texts.list.empty.action} />}
    />
  );
}
