import { Button, Drawer, Stack } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Loaded, useKept } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import classes from './threat-intel.module.css';

const text = texts.threatIntel.entries;
/** So many at first; each press shows as many more, up to what one answer holds. */
const STEP = 200;
const SHOWN_MAX = 2000;

export function EntriesDrawer() {
  const url = useUrlState();
  const name = url.get('feed');
  const shown = useKept(name);
  return (
    <Drawer
      opened={name !== undefined}
      onClose={() => url.set({ feed: undefined })}
      title={text.title(shown ?? '')}
      size="lg"
    >
      {shown !== undefined && <Entries key={shown} name={shown} />}
    </Drawer>
  );
}

function Entries({ name }: { name: string }) {
  const [limit, setLimit] = useState(STEP);
  const found = useApi(
    routes.threatIntel.get,
    { params: { name }, query: { limit } },
    { topics: ['setting'], keepPrevious: true },
  );
  return (
    <Loaded query={found} what={text.what} missing={<p className={layout.note}>{text.gone}</p>}>
      {({ body }) => (
        <Stack gap="md">
          <p className={layout.note}>{text.shown(body.entries.length, body.entry_count)}</p>
          <ul className={`${classes.entries} mono`} aria-label={text.list}>
            {body.entries.map((entry) => (
              <li key={entry}>{entry}</li>
            ))}
          </ul>
          {body.next_cursor !== null && limit < SHOWN_MAX && (
            <div>
              <Button
                variant="default"
                loading={found.isFetching}
                onClick={() => setLimit(Math.min(SHOWN_MAX, limit + STEP * 3))}
              >
                {text.more}
              </Button>
            </div>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
