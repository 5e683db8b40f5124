import { routes, useApi } from '../../api/index.ts';
import { useProjectIfAny, useUser } from '../../app/project.tsx';
import { Facts, RecordPage } from '../../ui/index.ts';
import { texts } from './license-texts.ts';

const text = texts;

export function LicensePage() {
  const project = useProjectIfAny();
  const { is_owner } = useUser();
  const license = useApi(routes.license.get, { query: is_owner ? {} : { project: project?.id } });
  return (
    <RecordPage words={text} query={license}>
      {({ body }) => (
        <Facts
          facts={[
            [text.plan, body.plan_name],
            [text.clients, text.limit(body.current_clients)],
            [text.expires, text.never],
            [text.reason, body.reason],
          ]}
        />
      )}
    </RecordPage>
  );
}
