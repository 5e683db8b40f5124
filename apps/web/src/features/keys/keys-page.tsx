import { routes, useApi } from '../../api/index.ts';
import { texts } from '../../texts/index.ts';
import { Loaded, Page } from '../../ui/index.ts';
import { DataKeys } from './data-keys.tsx';
import { MasterKeys } from './master-keys.tsx';
import { SigningKeys } from './signing-keys.tsx';

const text = texts.keys;
/** Keys emit no events; a new one is in use after seconds. */
const REFRESH_MS = 3000;

/** `?rotate=data`, `?rotate=master` and `?rotate=signing` open the dialogs. */
export function KeysPage() {
  const found = useApi(routes.key.list, {}, { refetchEveryMs: () => REFRESH_MS });
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={found} what={text.what}>
        {({ body }) => (
          <>
            <DataKeys keys={body.data_keys} />
            <MasterKeys keys={body.master_keys} from={body.master_from} />
          </>
        )}
      </Loaded>
      <SigningKeys />
    </Page>
  );
}
