import type { PublishResult } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ServiceLink } from '../../app/links.tsx';
import { useProject } from '../../app/project.tsx';
import { RolloutProgress } from '../../changes/rollout-progress.tsx';
import { CommandLine, Copy, Section } from '../../ui/index.ts';
import classes from './publish.module.css';
import { texts } from './texts.tsx';

const text = texts.done;

interface PublishDoneProps {
  readonly published: PublishResult;
  readonly hosts: readonly string[];
  readonly onAnother: () => void;
}

/** The progress on every client until it serves, and how to try it. */
export function PublishDone({ published, hosts, onAnother }: PublishDoneProps) {
  const { service, url, curl, clients } = published;
  const others = clients.slice(1).filter((client) => client.curl !== curl);
  return (
    <div className={classes.stack}>
      <RolloutProgress collection="services" name={service.name} revision={service.revision} />
      <Section title={text.url}>
        <div className={classes.url}>
          <span className="mono">{url}</span>
          <Copy text={url} what={text.what} />
        </div>
      </Section>
      <Section title={text.curl}>
        <CommandLine text={curl} what={text.command} />
      </Section>
      {others.length > 0 && (
        <Section title={text.elsewhere}>
          {others.map((client) => (
            <CommandLine key={client.client_id} text={client.curl} what={text.command} />
          ))}
        </Section>
      )}
      <div className={classes.foot}>
        {service.id !== null && <ServiceLink id={service.id}>{text.showService}</ServiceLink>}
        <Button variant="default" onClick={onAnother}>
          {text.another}
        </Button>
        <UnpublishButton hosts={hosts} listener={published.listener.name} />
      </div>
    </div>
  );
}

function UnpublishButton({ hosts, listener }: { hosts: readonly string[]; listener: string }) {
  const project = useProject();
  const params = { project: project.name };
  const target = { to: '/p/$project/unpublish', params, search: { host: hosts, listener } };
  return (
    <Button variant="default" component={Link} {...(target as object)}>
      {text.unpublish}
    </Button>
  );
}
