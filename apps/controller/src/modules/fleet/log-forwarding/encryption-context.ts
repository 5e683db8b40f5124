export const forwarderConfigContext = (clientId: string, kind: string) => `forwarder_configs/${clientId}/${kind}`;
