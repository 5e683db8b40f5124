import type { CommandRollout } from '@flotilla/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { routes } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { Notice, Problem, useSending, useWrite } from '../../../ui/index.ts';
import lines from '../../../ui/rows.module.css';
import { type RolloutValues, toRequest } from './rollout-request.ts';
import { texts } from './rollout-texts.ts';

interface RolloutWavesProps {
  readonly values: RolloutValues;
  readonly plan: CommandRollout;
  readonly onChange: () => void;
}

/** The waves of a rollout, and the button that starts it. */
export function RolloutWaves({ values, plan: { command, waves }, onChange }: RolloutWavesProps) {
  const project = useProject();
  const write = useWrite();
  const navigate = useNavigate();
  const sending = useSending();
  const clients = waves.flatMap((wave) => wave.clients);
  const offline = clients.filter(({ connected }) => !connected).length;
  const start = async () => {
    const input = { query: { project: project.id }, body: toRequest(values) };
    const { job } = (await write(routes.commandRollout.start, input, { stale: [routes.job.list] })).body;
    if (job)
      await navigate({ to: '/p/$project/jobs/$jobId', params: { project: project.name, jobId: String(job.number) } });
  };
  return (
    <Stack gap="md">
      <Text>
        <span className="mono">{command}</span>
        {', '}
        {texts.waves(clients.length, waves.length)}
      </Text>
      {offline > 0 && <Notice tone="warn" title={texts.offlineNote(offline)} />}
      <ol className={lines.rows} aria-label={texts.list}>
        {waves.map((wave, i) => (
          <li key={wave.clients[0]?.client_id} className={lines.row}>
            <span className={lines.grow}>
              <strong>{texts.waveOf(i + 1, wave.clients.length)}</strong>{' '}
              {wave.clients.map(({ client_id, name, connected }, at) => (
                <span key={client_id}>
                  {at > 0 && ', '}
                  <bdi>{name}</bdi>
                  {!connected && <span className={lines.dim}> ({texts.offline})</span>}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {sending.error !== undefined && <Problem error={sending.error} what={texts.startFailed} />}
      <Group gap="xs">
        <Button loading={sending.isBusy} onClick={() => void sending.send(start)} data-autofocus>
          {texts.start}
        </Button>
        <Button variant="default" onClick={onChange}>
          {texts.change}
        </Button>
      </Group>
    </Stack>
  );
}
