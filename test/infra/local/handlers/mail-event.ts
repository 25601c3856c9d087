/** No mail comes back on one machine. */
export async function handler() {}
