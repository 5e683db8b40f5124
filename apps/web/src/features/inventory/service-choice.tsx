import { Select } from '@mantine/core';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from './texts.tsx';
import { useServiceOptions } from './use-inventory.ts';

const text = texts.serviceChoice;

/** Narrows a screen to one service, which the URL keeps. */
export function ServiceChoice() {
  const url = useUrlState();
  const options = useServiceOptions();
  return (
    <Select
      size="xs"
      w={200}
      aria-label={text.label}
      placeholder={text.all}
      data={[...options]}
      value={url.get('service_id') ?? null}
      onChange={(value) => url.set({ service_id: value ?? undefined }, 'push')}
      clearable
      searchable
    />
  );
}
