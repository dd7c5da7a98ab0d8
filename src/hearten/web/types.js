/**
 * What the server sends, as types. Nothing runs here.
 *
 * @typedef {{id: string, probability: number}} Guess
 * @typedef {{start: number, end: number, weight: number}} Evidence  weight: log-odds lost without the word
 * @typedef {{emotions: Guess[], evidence: Evidence[], unsure: string | null}} Reading
 * @typedef {{name: string, number: string, about: string}} Helpline
 * @typedef {{kind: string, text: string, helplines: Helpline[]}} Crisis
 * @typedef {{text: string, plan?: string | null}} Alternative
 *
 * @typedef {object} Turn
 * @property {string} id
 * @property {"speaker" | "listener"} role
 * @property {string} text
 * @property {string} created
 * @property {Reading | null} [reading]
 * @property {string | null} [correction]  the emotion that the person named instead
 * @property {string | null} [plan]
 * @property {Crisis | null} [crisis]
 * @property {number | null} [rating]
 * @property {boolean} [reported]
 * @property {string | null} [edited]  what it should have said
 * @property {Alternative[] | null} [alternatives]
 * @property {boolean} [stopped]
 *
 * @typedef {{id: string, title: string, created: string, updated: string, turns: number, system?: string}} Summary
 * @typedef {{id: string, title: string, system: string, turns: Turn[]}} Conversation
 *
 * @typedef {{id: string, label: string, about: string}} Intent
 * @typedef {{id: string, gloss: string, valence: number, colour: string}} Emotion
 * @typedef {{id: string, title: string, about: string, default: boolean}} SystemChoice
 *
 * @typedef {object} Session
 * @property {boolean} visitor
 * @property {{research: boolean, at: string | null}} consent
 * @property {{text?: number}} limits
 * @property {SystemChoice[]} systems
 * @property {Intent[]} intents
 * @property {Emotion[]} emotions
 * @property {string[]} countries
 *
 * @typedef {{turn_id: string, emotion: string, valence: number, probability?: number}} Moment
 */
export {};
