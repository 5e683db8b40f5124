export const serviceContentContext = (serviceId: string, clientId: string) =>
  `service_targets/${serviceId}/${clientId}`;
