import { Button } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Empty, Page, useNow } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { StoreLoaded } from '../store-loaded.tsx';
import { readWindow, toSearch } from '../time-window.ts';
import { WindowBar } from '../window-bar.tsx';
import { ConsumerParts } from './consumer-parts.tsx';
import { texts } from './texts.tsx';

const text = texts.detail;

const MINUTE_MS = 60_000;

/** One consumer: its calls, their origins and their results. */
export function ConsumerPage() {
  const { hash } = useParams({ from: '/p/$project/traffic/consumers/$hash' });
  const project = useProject();
  const url = useUrlState();
  const asked = readWindow(url.get, useNow(MINUTE_MS));
  const times = toSearch(asked);
  const query = useApi(
    routes.trafficInsight.consumer,
    { params: { consumer_hash: hash }, query: { project: project.id, from: asked.from, to: asked.to } },
    { keepPrevious: true },
  );
  const missing = <Empty title={text.none}>{text.noneText}</Empty>;
  return (
    <Page
      title={hash}
      trail={[
        <Link key="list" to="/p/$project/traffic/consumers" params={{ project: project.name }} search={times}>
          {texts.list}
        </Link>,
      ]}
      isWide
      actions={
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/p/$project/traffic/events"
              params={{ project: project.name }}
              search={{ ...times, consumer: hash }}
            />
          )}
        >
          {text.events}
        </Button>
      }
    >
      <div className={layout.stack}>
        <WindowBar asked={asked} />
        <StoreLoaded query={query} what={text.what} skeleton={10} missing={missing}>
          {({ body }) =>
            body.seen === null ? missing : <ConsumerParts consumer={body} seen={body.seen} times={times} />
          }
        </StoreLoaded>
      </div>
    </Page>
  );
}
