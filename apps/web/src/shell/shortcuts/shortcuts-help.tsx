import { Kbd, Modal, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { Fragment } from 'react';
import { useCan, useProjectIfAny } from '../../app/project.tsx';
import { GO_KEYS, isOpenable } from '../destinations.ts';
import { texts } from './texts.ts';

type Row = readonly [keys: string, effect: string];

/** Lists the keys that work on every page, and the pages that the user may go to. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const access = { can: useCan(), project: useProjectIfAny()?.name };
  const places = [...GO_KEYS].filter(([, place]) => isOpenable(place, access));
  return (
    <Modal opened onClose={onClose} title={texts.title} size="xl" closeButtonProps={{ 'aria-label': texts.close }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xl">
        <Keys title={texts.goTo} rows={places.map(([keys, { label }]): Row => [keys, label])} />
        <Stack gap="lg">
          <Keys title={texts.everywhere} rows={texts.everywhereKeys} />
          <Keys title={texts.lists} rows={texts.listKeys} />
          <Keys title={texts.editors} rows={texts.editorKeys} />
        </Stack>
      </SimpleGrid>
    </Modal>
  );
}

function Keys({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    <section>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Table verticalSpacing={4} withRowBorders={false}>
        <Table.Tbody>
          {rows.map(([keys, effect]) => (
            <Table.Tr key={keys}>
              <Table.Th scope="row" fw="normal" w={130}>
                {keys.split(' ').map((key) => (
                  <Fragment key={key}>
                    <Kbd>{key}</Kbd>{' '}
                  </Fragment>
                ))}
              </Table.Th>
              <Table.Td>{effect}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
