import { routes, useApi } from '../../api/index.ts';
import { Empty, Loaded, Page, PlainTable } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { COLUMNS } from './block-columns.tsx';
import { texts } from './texts.ts';

const text = texts;
/** Polling interval: failures emit no events, and a lockout lasts only seconds. */
const REFRESH_MS = 3000;

/** Lists blocked addresses, for owners of the installation. */
export function SignInBlocksPage() {
  const found = useApi(routes.lockout.list, {}, { refetchEveryMs: () => REFRESH_MS });
  return (
    <Page title={text.title} lead={text.lead}>
      <Loaded query={found} what={text.what}>
        {({ body: { items } }) =>
          items.length === 0 ? (
            <Empty title={text.empty.title}>{text.empty.text}</Empty>
          ) : (
            <>
              <PlainTable name={text.list} rows={items} columns={COLUMNS} rowId={({ address }) => address} />
              {items.some(({ address }) => address.includes(':')) && <p className={layout.note}>{text.network}</p>}
              <p className={layout.note}>{text.proxy}</p>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
