import type { ConversationChannel } from '../api/operations.js'

export const channels: ConversationChannel[] = ['ServiceChat', 'HelpdeskOneTicket', 'HelpdeskTwoTicket', 'HelpdeskThreeConversation']
