import { routes, useApi } from '../../api/index.ts';
import { Loaded, Page } from '../../ui/index.ts';
import { DataKeys } from './data-keys.tsx';
import { MasterKeys } from './master-keys.tsx';
import { SigningKeys } from './signing-keys.tsx';
import { texts } from './texts.ts';

const text = texts;
/** Keys emit no events, and a new key is in use within seconds. */
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
