/** The secret of an alert channel. */
export const alertChannelContext = (id: string) => `alert_channels/${id}`;
