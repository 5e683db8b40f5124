import { Button } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { Empty } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.noTraffic;

/** For a time range without requests. `range`: the preset that is shown. */
export function NoTraffic({ range }: { range: string | undefined }) {
  const url = useUrlState();
  return (
    <Empty
      title={text.title}
      action={
        range !== '7d' && (
          <Button variant="default" onClick={() => url.set({ range: '7d', from: undefined, to: undefined }, 'push')}>
            {text.showWeek}
          </Button>
        )
      }
    >
      {text.text}
    </Empty>
  );
}
