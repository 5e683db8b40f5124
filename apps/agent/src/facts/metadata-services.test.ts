import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMetadataClient } from './metadata-client.ts';
import { askMetadataServices } from './metadata-services.ts';

const UUID = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler) {
  server = createServer(handler);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return askMetadataServices(createMetadataClient([{ host: '127.0.0.1', port }]));
}

/** Answers the paths, if the request has the header that the service requires. */
function service(paths: Readonly<Record<string, string>>, needed?: readonly [string, string]): Handler {
  return ({ url = '', method, headers }, response) => {
    const body = paths[`${method} ${url}`];
    const isAllowed = needed === undefined || headers[needed[0]] === needed[1] || method === 'PUT';
    if (body === undefined || !isAllowed) response.writeHead(404).end('no');
    else response.writeHead(200, headers['metadata-flavor'] ? { 'metadata-flavor': 'Google' } : {}).end(body);
  };
}

describe('a metadata service is recognised by its documented answers', () => {
  it.each<[string, Handler, unknown]>([
    [
      'aws',
      service(
        {
          'PUT /latest/api/token': 'AQAEAL9x==',
          'GET /latest/dynamic/instance-identity/document': JSON.stringify({
            instanceId: 'i-0abcdef1234567890',
            accountId: '123456789012',
          }),
        },
        ['x-aws-ec2-metadata-token', 'AQAEAL9x=='],
      ),
      { serverId: 'i-0abcdef1234567890', project: '123456789012' },
    ],
    [
      'gcp',
      service(
        {
          'GET /computeMetadata/v1/instance/id': '5432109876543210987',
          'GET /computeMetadata/v1/project/project-id': 'edge-prod-1',
        },
        ['metadata-flavor', 'Google'],
      ),
      { serverId: '5432109876543210987', project: 'edge-prod-1' },
    ],
    [
      'azure',
      service(
        {
          'GET /metadata/instance/compute/vmId?api-version=2021-02-01&format=text': UUID,
          'GET /metadata/instance/compute/subscriptionId?api-version=2021-02-01&format=text': UUID,
        },
        ['metadata', 'true'],
      ),
      { serverId: UUID, project: UUID },
    ],
    [
      'openstack',
      service({
        'GET /openstack/latest/meta_data.json': JSON.stringify({
          uuid: UUID,
          project_id: 'a'.repeat(32),
          admin_pass: 'secret',
        }),
      }),
      { serverId: UUID, project: 'a'.repeat(32) },
    ],
    ['digitalocean', service({ 'GET /metadata/v1/id': '3164444' }), { serverId: '3164444', project: undefined }],
    ['hetzner', service({ 'GET /hetzner/v1/metadata/instance-id': '42\n' }), { serverId: '42', project: undefined }],
    [
      'oracle',
      service(
        {
          'GET /opc/v2/instance/id': 'ocid1.instance.oc1.phx.abc',
          'GET /opc/v2/instance/compartmentId': 'ocid1.compartment.oc1..abc',
        },
        ['authorization', 'Bearer Oracle'],
      ),
      { serverId: 'ocid1.instance.oc1.phx.abc', project: 'ocid1.compartment.oc1..abc' },
    ],
  ])('%s', async (cloud, handler, expected) => {
    expect(await serve(handler)).toEqual([{ cloud, ...(expected as object) }]);
  });
});

describe('an answer is not believed', () => {
  it.each<[string, Handler]>([
    ['that is the same for every path', (_, response) => response.end('<html>captive portal</html>')],
    ['with broken JSON', (_, response) => response.end('{"uuid":')],
    ['that is JSON of another form', (_, response) => response.end('[null]')],
    ['with ids of another form', (_, response) => response.end(`{"uuid":"${UUID}\\u0000","instanceId":"i-xyz"}`)],
    ['that is empty', (_, response) => response.end()],
    ['with another status', (_, response) => response.writeHead(203).end('42')],
    ['that says to ask elsewhere', (_, response) => response.writeHead(307, { location: '/metadata/v1/id' }).end('42')],
    ['that is cut off', (_, response) => response.writeHead(200, { 'content-length': '10' }).write('42')],
  ])('%s', async (_, handler) => {
    expect(await serve(handler)).toEqual([]);
  });
});

describe('the client', () => {
  it('follows no redirect', async () => {
    const seen: string[] = [];
    await serve(({ url = '' }, response) => {
      seen.push(url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(seen).not.toHaveLength(0);
    expect(seen).not.toContain('/elsewhere');
  });

  it('reads no body without end', async () => {
    const closed = vi.fn();
    const answers = await serve((request, response) => {
      request.socket.on('close', closed);
      const more = () => {
        if (response.destroyed) return;
        if (response.write(Buffer.alloc(65_536, '4'))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    expect(answers).toEqual([]);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  it('waits for no silent service, and ends the connection', async () => {
    const closed = vi.fn();
    expect(await serve((request) => request.socket.on('close', closed))).toEqual([]);
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });
});
