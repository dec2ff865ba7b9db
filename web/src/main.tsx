import './live/no-eval.ts'
import './styles/tokens.css'
import './styles/base.css'
import './parts/common.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { connect } from './live/connection.ts'
import { LiveProvider } from './live/context.tsx'
import { rememberVisits } from './live/last-here.ts'
import { createQueries, follow } from './live/queries.ts'
import { followTree } from './live/tree.ts'
import { applyTheme } from './shell/theme.tsx'

applyTheme()
rememberVisits()
const connection = connect()
const queries = createQueries()
follow(connection, queries)
followTree(connection)

const root = document.getElementById('page')
if (root === null) throw new Error('index.html has no #page')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LiveProvider value={connection}>
        <App />
      </LiveProvider>
    </QueryClientProvider>
  </StrictMode>,
)
