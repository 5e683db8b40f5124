export const commandContext = (id: string) => `commands/${id}`;
