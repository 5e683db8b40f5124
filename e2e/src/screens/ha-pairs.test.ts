import { haRoutes } from '@flotilla/contract';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lookEverywhere } from './everywhere.ts';
import { HA_ENV, HaFleet, type Pair } from './ha-fleet.ts';
import { look, PROJECT, Stage, type StagePage } from './stage.ts';

const LIST = `/p/${PROJECT}/ha-pairs`;

let stage: Stage;
let hosts: HaFleet;
let opened: StagePage | undefined;

beforeAll(async () => {
  stage = await Stage.open({ env: HA_ENV });
  hosts = await HaFleet.open(stage, 80);
});
afterEach(async () => {
  expect(opened?.complaints ?? []).toEqual([]);
  await opened?.close();
  opened = undefined;
});
afterAll(async () => {
  await hosts?.close();
  await stage?.close();
});

async function open(path: string): Promise<Page> {
  opened = await stage.open(path);
  return opened.page;
}

const pathOf = ({ id }: Pick<Pair, 'id'>, tab?: string) => `${LIST}/${id}${tab ? `?tab=${tab}` : ''}`;
const panelOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
const state = (within: Page | Locator, word: string) => within.locator(`[data-state="${word}"]`).first();

describe('the list of HA pairs', () => {
  it('explains pairs while there are none, and creates the first one from two clients', async () => {
    const { hosts: members } = await hosts.takeMembers();
    const other = await hosts.addOtherHost();
    const page = await open(LIST);
    await page.getByText('No HA pairs yet').waitFor();
    await lookEverywhere(page, 'ha-pairs-empty');
    await page.getByRole('link', { name: 'Create the first pair' }).click();
    await page.getByRole('heading', { level: 1, name: 'Create an HA pair' }).waitFor();
    const submit = page.getByRole('button', { name: 'Create the pair' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Name' }).fill('first');
    expect(await page.getByRole('checkbox', { name: other, exact: true }).isDisabled()).toBe(true);
    await page.getByText('Not an appliance').first().waitFor();
    for (const { name } of members) await page.getByRole('checkbox', { name, exact: true }).check();
    await page.getByText('A silent member is noticed after 1 s.').waitFor();
    await page.getByRole('textbox', { name: 'Misses' }).fill('3');
    await page.getByText('A silent member is noticed after 0.6 s.').waitFor();
    await page.getByRole('textbox', { name: 'Interval (ms)' }).fill('99');
    await page.getByText('Enter an interval from 100 to 1000').waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Interval (ms)' }).fill('100');
    await page.getByRole('textbox', { name: 'Fence targets' }).fill('gateway');
    await page.getByText('“gateway” is not an IPv4 address.').waitFor();
    await lookEverywhere(page, 'ha-pair-new');
    await page.getByRole('textbox', { name: 'Fence targets' }).fill('192.0.2.254');
    await submit.click();
    await page.getByRole('heading', { level: 1, name: /^first/ }).waitFor();
    await state(panelOf(page, members[0].name), 'Active').waitFor();
    await state(panelOf(page, members[1].name), 'Standby').waitFor();
    await state(page.getByRole('heading', { level: 1 }), 'Live').waitFor();
  });
});

describe('a failover', () => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await hosts.createPair('edge-berlin');
    await hosts.addService('shop', '192.0.2.200', pair);
    await hosts.addService('mail', '192.0.2.201', pair);
    await hosts.untilStatus(pair.id, 'live');
  });
  const [first, second] = [0, 1] as const;

  it('is stated with its risks before, and shown afterwards as the members report it', async () => {
    const page = await open(pathOf(pair));
    const names = pair.hosts.map(({ name }) => name);
    await page.getByRole('cell', { name: '192.0.2.200' }).or(page.getByText('192.0.2.200')).first().waitFor();
    await lookEverywhere(page, 'ha-pair-overview');
    await page.getByRole('button', { name: 'Fail over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail over edge-berlin' });
    await dialog.getByText(`${names[1]} takes the addresses from ${names[0]}.`).waitFor();
    await dialog.getByText('The next holder is ready').waitFor();
    await lookEverywhere(page, 'ha-failover-plan');
    pair.simulation.isSlow = true;
    await dialog.getByRole('button', { name: 'Fail over' }).click();
    await state(dialog, 'Handing over').waitFor();
    await look(page, 'ha-failover-moving');
    pair.simulation.isSlow = false;
    pair.simulation.finishHandover();
    await dialog.getByText(`${names[1]} has the addresses`).waitFor();
    await state(dialog, 'Gap 120 ms').waitFor();
    await state(dialog, 'One holder: kept').waitFor();
    await lookEverywhere(page, 'ha-failover-moved');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'hidden' });
    await state(panelOf(page, names[1] ?? ''), 'Active').waitFor();
    await state(page.getByRole('heading', { level: 1 }), 'Failed over').waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    const newest = page.getByRole('list', { name: 'Changes of roles' }).getByRole('listitem');
    await newest.getByText('The other member handed over.').first().waitFor();
    await lookEverywhere(page, 'ha-pair-history');
  });

  it('to a member that is not ready needs force, and says what force risks', async () => {
    pair.simulation.setReady(first, false);
    const page = await open(pathOf(pair));
    await state(page, 'Not healthy').waitFor();
    await page.getByRole('button', { name: 'Fail over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail over edge-berlin' });
    await dialog.getByText('Not ready: 192.0.2.200, 192.0.2.201.').waitFor();
    const send = dialog.getByRole('button', { name: 'Fail over' });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'Fail over even so' }).check();
    await dialog.getByText('Requests fail until it is').waitFor();
    await lookEverywhere(page, 'ha-failover-risk');
    await send.click();
    await dialog.getByText(`${pair.hosts[first].name} has the addresses`).waitFor();
    pair.simulation.setReady(first, true);
  });

  it('that the active member refuses shows the reason, and can be tried again', async () => {
    const page = await open(pathOf(pair));
    await page.getByRole('button', { name: 'Fail over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail over edge-berlin' });
    await dialog.getByText('The next holder is ready').waitFor();
    // The daemon knows it before the controller does.
    pair.simulation.refuses = 'peer_not_ready';
    await dialog.getByRole('button', { name: 'Fail over' }).click();
    await dialog.getByText('The active member refused').waitFor();
    await dialog.getByText('The other member is not ready.').waitFor();
    await lookEverywhere(page, 'ha-failover-refused');
    pair.simulation.refuses = undefined;
    await dialog.getByRole('button', { name: 'Look again' }).click();
    await dialog.getByRole('checkbox', { name: 'Fail over even so' }).waitFor();
    await dialog.getByRole('button', { name: 'Fail over' }).click();
    await dialog.getByText(`${pair.hosts[second].name} has the addresses`).waitFor();
  });

  it('to a member in maintenance is not offered, and the maintenance begins and ends on its panel', async () => {
    const page = await open(pathOf(pair));
    const name = pair.hosts[first].name;
    await panelOf(page, name).getByRole('button', { name: 'Begin maintenance' }).click();
    const question = page.getByRole('dialog', { name: `Begin maintenance of ${name}?` });
    await question.getByText('Nobody takes over if the other member fails meanwhile.').waitFor();
    await lookEverywhere(page, 'ha-maintenance');
    await question.getByRole('button', { name: 'Begin maintenance' }).click();
    await state(panelOf(page, name), 'Maintenance').waitFor();
    await page.getByRole('button', { name: 'Fail over' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fail over edge-berlin' });
    await dialog.getByText('The next holder is in maintenance. End it first.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Fail over' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await panelOf(page, name).getByRole('button', { name: 'End maintenance' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End maintenance' }).click();
    await state(panelOf(page, name), 'Standby').waitFor();
  });
});

describe('work that a member owes', () => {
  it('is shown with its error and the next attempt, and is retried at once', async () => {
    const pair = await hosts.createPair('edge-lyon');
    const [first, second] = pair.hosts;
    hosts.fail(second, 'there is no room on the disk');
    await hosts.addService('wiki', '192.0.2.230', { hosts: [first] });
    const page = await open(pathOf(pair, 'services'));
    await state(page.getByRole('heading', { level: 1 }), 'Syncing services').waitFor();
    const work = page.getByRole('table', { name: 'Pending work' });
    await work.getByText('there is no room on the disk').waitFor();
    await work.getByRole('link', { name: 'wiki' }).waitFor();
    await work.getByRole('cell', { name: second.name, exact: true }).waitFor();
    await lookEverywhere(page, 'ha-pair-pending');
    hosts.fail(second, undefined);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByText('The pending work is being retried.').waitFor();
    await page.getByText('Both members run the same services.').waitFor();
    expect(await page.getByRole('button', { name: 'Retry now' }).count()).toBe(0);
    await state(page.getByRole('heading', { level: 1 }), 'Live').waitFor();
  });
});

describe('the daemon of a member', () => {
  it('announces the addresses again, which only the active member offers', async () => {
    const pair = await hosts.createPair('edge-graz');
    const [first, second] = pair.hosts;
    await hosts.addService('chat', '192.0.2.240', pair);
    await hosts.untilStatus(pair.id, 'live');
    const page = await open(pathOf(pair));
    await state(panelOf(page, second.name), 'Standby').waitFor();
    const word = 'Announce the addresses again';
    expect(await panelOf(page, second.name).getByRole('button', { name: word }).count()).toBe(0);
    await panelOf(page, first.name).getByRole('button', { name: word }).click();
    await page.getByText(`${first.name} has announced its addresses again.`).waitFor();
  });
});

describe('a pair whose host dies', () => {
  it('shows the take-over as it happens, and gets a new member after the dead one was removed by force', async () => {
    const pair = await hosts.createPair('edge-paris');
    await hosts.addService('blog', '192.0.2.210', pair);
    await hosts.untilStatus(pair.id, 'live');
    const page = await open(pathOf(pair));
    const [dead, left] = pair.hosts;
    await state(panelOf(page, dead.name), 'Active').waitFor();
    await pair.kill(0);
    await state(panelOf(page, left.name), 'Active').waitFor();
    await state(panelOf(page, dead.name), 'Not connected').waitFor();
    await state(panelOf(page, left.name), 'Not heard').waitFor();
    await lookEverywhere(page, 'ha-pair-dead');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The other member had been silent for 1,000 ms.').waitFor();
    await state(page, 'Gap unknown').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await panelOf(page, dead.name).getByRole('link', { name: dead.name }).click();
    await page.getByRole('link', { name: 'Member of the HA pair edge-paris' }).waitFor();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const removal = page.getByRole('dialog');
    await removal.getByText('force leaves its slot vacant').waitFor();
    await look(page, 'ha-client-removal');
    await hosts.removeByForce(dead);
    await page.goto(pathOf(pair));
    await state(page, 'Awaiting second member').waitFor();
    const vacant = panelOf(page, 'Vacant slot');
    await vacant.waitFor();
    await lookEverywhere(page, 'ha-pair-vacant');
    const replacement = await hosts.takeMember(pair.simulation, 0);
    await vacant.getByRole('button', { name: 'Add a member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a member to edge-paris' });
    await dialog.getByRole('combobox', { name: 'Client' }).fill(replacement.name);
    await page.getByRole('option', { name: replacement.name, exact: true }).click();
    await look(page, 'ha-add-member');
    await dialog.getByRole('button', { name: 'Add the member' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await state(panelOf(page, replacement.name), 'Standby').waitFor();
  });
});

describe('the settings of a pair', () => {
  it('are changed, survive a change of somebody else, and lead to a new key and the deletion', async () => {
    const pair = await hosts.createPair('edge-rome');
    await hosts.addService('news', '192.0.2.220', pair);
    const page = await open(pathOf(pair, 'settings'));
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByRole('textbox', { name: 'Misses' }).fill('10');
    await page.getByText('A silent member is noticed after 2 s.').waitFor();
    const place = { params: { pair_id: pair.id }, query: { project: hosts.owner.project } };
    await hosts.owner.call(haRoutes.update, { ...place, body: { next_hops: ['192.0.2.253'] } });
    await page.getByText('Somebody else changed this pair.').waitFor();
    await lookEverywhere(page, 'ha-pair-settings');
    await save.click();
    await page.getByText('The settings are saved').waitFor();
    expect(await hosts.read(pair.id)).toMatchObject({ hb: { misses: 10 }, next_hops: ['192.0.2.253'] });
    await expect.poll(() => page.getByRole('textbox', { name: 'Next hops' }).inputValue()).toBe('192.0.2.253');

    await page.getByRole('button', { name: 'Replace the key' }).click();
    const question = page.getByRole('dialog', { name: 'Replace the heartbeat key?' });
    await question.getByRole('button', { name: 'Replace the key' }).click();
    await question.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send the configuration again' }).click();
    await page.getByText('The configuration was sent again.').waitFor();

    await page.getByRole('button', { name: 'Delete the pair' }).click();
    const removal = page.getByRole('dialog', { name: 'Delete the HA pair edge-rome?' });
    await removal.getByRole('link', { name: 'news' }).waitFor();
    const force = removal.getByRole('button', { name: 'Delete by force' });
    expect(await force.isDisabled()).toBe(true);
    await removal.getByRole('textbox').fill('edge-rome');
    await lookEverywhere(page, 'ha-pair-delete');
    await force.click();
    await page.getByRole('heading', { level: 1, name: 'HA pairs' }).waitFor();
    await page.getByRole('link', { name: 'edge-rome' }).waitFor({ state: 'detached' });
  });

  it('are reached with the keyboard alone', async () => {
    const pair = await hosts.createPair('edge-oslo');
    const page = await open(pathOf(pair));
    const tab = page.getByRole('tab', { name: 'Overview' });
    await tab.focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'Services', selected: true }).waitFor();
    await page.getByText('The pair has no services').waitFor();
    await look(page, 'ha-pair-services-empty');
    await page.getByRole('button', { name: 'Fail over' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Fail over edge-oslo' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Fail over');
  });

  it('and pairs that do not exist are reported, and editors have no link to pairs', async () => {
    const page = await open(`${LIST}/01900000-0000-7000-8000-000000000000`);
    await page.getByText('This HA pair does not exist').waitFor();
    await look(page, 'ha-pair-missing');
    await opened?.close();
    const editor = await hosts.owner.addMember('editor');
    opened = await stage.open(LIST, { user: editor });
    await opened.page.getByText('Your role does not allow you to see this').waitFor();
    expect(
      await opened.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'HA pairs' }).count(),
    ).toBe(0);
  });
});

// The last test of this file: its hosts report for as long as it runs.
describe('a long list of HA pairs', () => {
  it('shows 50 pairs with long names, those with a problem first, and finds one of them', async () => {
    const names = Array.from(
      { length: 50 },
      (_, i) => `pair-${String(i).padStart(2, '0')}${'-long'.repeat(i === 0 ? 22 : 0)}`,
    );
    for (let at = 0; at < names.length; at += 10)
      await Promise.all(names.slice(at, at + 10).map((name) => hosts.createLonePair(name)));
    const page = await open(LIST);
    await page.getByRole('link', { name: names.at(-1) ?? '' }).waitFor();
    const rows = page.getByRole('table', { name: 'HA pairs' }).getByRole('row');
    expect(await rows.count()).toBeGreaterThan(50);
    await page.getByRole('searchbox', { name: 'Search HA pairs' }).fill('pair-4');
    await expect.poll(() => rows.count()).toBe(11);
    expect(new URL(page.url()).searchParams.get('q')).toBe('pair-4');
    await page.getByRole('searchbox', { name: 'Search HA pairs' }).fill('pair-0');
    await lookEverywhere(page, 'ha-pairs-many');
    await page.getByRole('searchbox', { name: 'Search HA pairs' }).fill('nothing');
    await page.getByText('No pair matches the search.').waitFor();
  });
});
