import type { EventExportView } from '@flotilla/contract';
import { fieldError, type Loaded as LoadedAnswer, routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { DrawerTitle, Loaded, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import { ExportForm } from './export-form.tsx';
import { toExportValues, toForm } from './export-model.ts';
import { texts } from './texts.ts';

const text = texts.exports;

/** `?create=export` opens an empty form, `?export=<id>` that of one export. */
export function ExportDrawers() {
  return (
    <>
      <UrlDrawer name="create" value="export" title={text.newTitle}>
        {(_, close) => <StoredExportForm stored={undefined} onDone={close} />}
      </UrlDrawer>
      <UrlDrawer name="export" title={text.edit}>
        {(id, close) => <OneExport id={id} onDone={close} />}
      </UrlDrawer>
    </>
  );
}

function OneExport({ id, onDone }: { id: string; onDone: () => void }) {
  const project = useProject();
  const found = useApi(routes.eventExport.get, { params: { export_id: id }, query: { project: project.id } });
  return (
    <Loaded query={found} what={text.one}>
      {(answer) => (
        <>
          <DrawerTitle title={text.editTitle(answer.body.name)} />
          <StoredExportForm key={answer.etag} stored={answer} onDone={onDone} />
        </>
      )}
    </Loaded>
  );
}

interface StoredExportFormProps {
  readonly stored: LoadedAnswer<EventExportView> | undefined;
  readonly onDone: () => void;
}

function StoredExportForm({ stored, onDone }: StoredExportFormProps) {
  const project = useProject();
  const write = useWrite();
  const form = useApiForm({
    route: routes.eventExport.replace,
    initial: toForm(stored?.body),
    refusals: { 'record.exists': { name: text.taken } },
    send: async (values) => {
      const body = toExportValues(values);
      const query = { project: project.id };
      const stale = [routes.eventExport.list, routes.eventExport.get];
      if (stored) {
        const options = {
          done: text.saved(body.name),
          stale,
          ...(stored.etag !== undefined && { ifMatch: stored.etag }),
        };
        await write(routes.eventExport.replace, { params: { export_id: stored.body.id }, query, body }, options);
      } else await write(routes.eventExport.create, { query, body }, { done: text.created(body.name), stale });
      onDone();
    },
  });
  return (
    <ExportForm
      form={form}
      refusalOf={(path) => fieldError(form.failure, path)}
      keeps={stored?.body.private.map(({ path }) => path) ?? []}
      action={stored ? text.save : text.create}
    />
  );
}
