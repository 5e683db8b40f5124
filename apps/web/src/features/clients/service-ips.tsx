import { Popover, ScrollArea, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { texts } from '../../texts/index.ts';
import { Copy } from '../../ui/index.ts';
import classes from './clients.module.css';
import type { ClientRow } from './model.ts';

const text = texts.clients.serviceIps;

/** How many addresses the services of a client have; which ones on hover or press. */
export function ServiceIps({ row }: { row: ClientRow }) {
  // Of thousands of rows only the one that is pointed at needs a popover.
  const [armedBy, setArmedBy] = useState<'pointer' | 'press'>();
  const [isOpen, setOpen] = useState(false);
  const ips = row.service_ips ?? [];
  if (row.service_ip_count === 0) return <span>0</span>;
  const button = (
    <UnstyledButton
      className={classes.ips}
      aria-label={text.countOf(row.service_ip_count, row.name)}
      aria-expanded={isOpen}
      onPointerEnter={(event) => {
        setArmedBy((before) => before ?? 'pointer');
        if (event.pointerType === 'mouse') setOpen(true);
      }}
      onPointerLeave={() => setOpen(false)}
      onClick={() => {
        setArmedBy((before) => before ?? 'press');
        setOpen(true);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
      }}
      // The popover makes the button anew; who pressed it by keyboard stays on it.
      autoFocus={armedBy === 'press'}
    >
      {row.service_ip_count}
    </UnstyledButton>
  );
  if (!armedBy) return button;
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom" withArrow shadow="sm" returnFocus>
      <Popover.Target>{button}</Popover.Target>
      <Popover.Dropdown
        aria-label={text.title(row.name)}
        onPointerEnter={() => setOpen(true)}
        onPointerLeave={() => setOpen(false)}
        p="xs"
      >
        <ScrollArea.Autosize mah={220} type="auto">
          <div className={classes.ipList}>
            {ips.map((ip) => (
              <span key={ip} className="mono">
                {ip}
              </span>
            ))}
          </div>
        </ScrollArea.Autosize>
        <Copy text={ips.join('\n')} what={text.copied} />
      </Popover.Dropdown>
    </Popover>
  );
}
