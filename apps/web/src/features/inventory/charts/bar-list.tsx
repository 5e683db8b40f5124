import { Table } from '@mantine/core';
import { texts } from '../texts.tsx';
import { formatPercent, type Part } from './parts-bar.tsx';
import { ShareBar } from './share-bar.tsx';

/** The parts of a whole, one below the other and in their order, also those that are empty. */
export function BarList({ name, parts }: { name: string; parts: readonly Part[] }) {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...parts.map(({ count }) => count));
  return (
    <Table aria-label={name} fz="sm" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {parts.map((part) => (
          <Table.Tr key={part.name}>
            <Table.Th scope="row" fw={400} w={130}>
              {part.name}
            </Table.Th>
            <Table.Td>
              <ShareBar share={part.count / most} tone={part.tone}>
                {texts.partOf(part.count.toLocaleString('en'), formatPercent(total === 0 ? null : part.count / total))}
              </ShareBar>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
